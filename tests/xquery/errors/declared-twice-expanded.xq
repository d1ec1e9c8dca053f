<a xmlns:x="u" xmlns:y="u" x:b="1" y:b="2"/>
