error("enough")
