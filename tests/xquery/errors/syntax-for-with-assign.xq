for $x := /bib/book return $x
