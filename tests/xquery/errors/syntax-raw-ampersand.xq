<a>you & me</a>
