-- two states
var x: boolean;
startstate begin x := false; end;
