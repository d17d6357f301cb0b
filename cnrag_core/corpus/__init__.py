"""Reading what people have into typed documents.

`readers` finds records in files, `records` makes a corpus of them (`flatten`, `schema`, `identity`, `columns`),
`document` is what comes out. `samples` finds the shipped corpora, `checks` says whether a configuration fits.
"""
