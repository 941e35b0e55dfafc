"""How are rows turned into tables, figures and a report?"""
