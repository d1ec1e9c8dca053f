for $book in /bib/book
group by $year := $book/@year
return <year>{$year}</year>
