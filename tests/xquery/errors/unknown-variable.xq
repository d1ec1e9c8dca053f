for $book in /bib/book return $bok/title
