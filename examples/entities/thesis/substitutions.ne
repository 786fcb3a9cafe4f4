La <loc.fac> <kind> gare </kind> de <name> Rungis </name> </loc.fac>
La <loc.fac> <kind> gare </kind> de <name> Rungis </name> </loc.fac>
La <loc.fac> <kind> gare </kind> de <name> Rungis </name> </loc.fac>
La <loc.fac> <kind> gare </kind> de <name> Rungis </name> </loc.fac>
