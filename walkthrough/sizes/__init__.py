"""How large a model is: shapes, parameters, multiplications and the memory of attention, without calculating it."""
