expect: 2 x 3, 3 entries
             2             1             1             0
pra                        2             3             3             0
(26I3)          (26I3)          
  1  2  3  4
  2  1  2
