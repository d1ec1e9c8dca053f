for $b in /bib/book
return cuont($bok, $bk)
