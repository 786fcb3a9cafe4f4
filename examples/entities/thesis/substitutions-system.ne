La <org.adm> <kind> gare </kind> de <name> Rungis </name> </org.adm>
La <loc.fac> <kind> gare </kind> </loc.fac> de Rungis
La <loc.adm.town> <kind> gare </kind> de <name> Rungis </name> </loc.adm.town>
La gare de <pers.ind> <name> Rungis </name> </pers.ind>
