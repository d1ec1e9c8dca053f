1 cast as xs:numeric
