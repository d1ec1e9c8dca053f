for b in /bib/book return b
