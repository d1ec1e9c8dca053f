let $x = /bib/book return $x
