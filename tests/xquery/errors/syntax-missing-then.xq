if ($ROOT/a) 1 else 2
