<a>{ for $x in /r return $x </a>
