"""The shape of a similarity graph: what hangs together, who is central, where everything is drawn.

``communities``   groups of documents; ``stability`` how certain they are, ``partitions`` how two compare,
                  ``cohesion`` how tight each is, ``gaps`` which resemble each other and do not link
``centrality``    degree, betweenness, clustering, PageRank, participation
``roles``         hubs and bridges
``neighborhood``  k hops, shortest and widest paths, the threshold that joins two documents
``tagging``       the words that set a community apart (``terms``, ``languages``)
``layout``        positions (``arrangement``, ``forces``, ``coarsening``, ``evening``, ``overlaps``, ``packing``);
                  ``overview`` one disc a community, and outlines
``analyzer``      all of it by node id, with the method names of guide 002

``louvain``, ``centrality_loops``, ``layout_loops``: compiled forms for large graphs; ``warm_up`` makes them ready.
"""
