stream("photons")/photons
