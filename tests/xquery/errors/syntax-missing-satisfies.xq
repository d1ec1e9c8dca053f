some $x in /a/b return $x
