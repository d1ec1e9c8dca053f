/r/childs::a
