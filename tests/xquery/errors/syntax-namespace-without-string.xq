declare namespace p = uri; 1
