def report(*a): raise NotImplementedError
