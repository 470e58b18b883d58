"""From a corpus to trained weights: the joint model, its decoders, and the loop."""
