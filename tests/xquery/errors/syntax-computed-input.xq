doc(concat("a", ".xml"))/r
