if ((1, 2)) then 3 else 4
