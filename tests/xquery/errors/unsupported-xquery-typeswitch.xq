typeswitch (/a/b) case text() return 1 default return 2
