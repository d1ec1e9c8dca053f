"""Where rows come from: files and texts, read into streams and changes of relations."""
