for $b in /bib/book
$b/title
