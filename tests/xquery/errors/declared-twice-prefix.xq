declare namespace p = "u";
declare namespace p = "v";
<p:a/>
