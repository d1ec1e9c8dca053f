<x>{ "text", /r/@n }</x>
