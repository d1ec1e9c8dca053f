for $b in /bib/book retrun $b/title
