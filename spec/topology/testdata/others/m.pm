dtmc
module m
 x : bool;
endmodule
