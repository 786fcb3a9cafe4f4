<doc id="radio-1">
Le <kind> maire </kind> de <loc.adm.town> <name> Paris </name> </loc.adm.town> , <pers.ind> <name.first> Claire Morand </name.first> </pers.ind> , a reçu hier l' ambassadeur de la <loc.adm.nat> <name> Turquie </name> </loc.adm.nat> en <loc.adm.nat> <name> France </name> </loc.adm.nat> .
La rencontre a eu lieu hier à la <loc.fac> <kind> gare de </kind> <pers.ind> <name.last> Rungis </name.last> </pers.ind> </loc.fac> , devant trois pompiers .
La <loc.country> <name> France </name> </loc.country> a signé la convention le 25 janvier <amount> <val> 2013 </val> </amount> .
</doc>
<doc id="radio-2">
Le <func.ind> <kind> président </kind> </func.ind> a félicité l' ancien ministre <pers.ind> <name.last> Paul Vautier </name.last> </pers.ind> .
Le directeur de <org.ent> <name> Renault </name> </org.ent> prépare un nouveau plan social avec le syndicat <org.ent> <name> FSU </name> </org.ent> .
Le Prix <pers.ind> <name.last> Nobel </name.last> </pers.ind> de chimie revient à <pers.ind> <name.last> Anna Lindt </name.last> </pers.ind> , de l' hôpital <loc.adm.town> <name> Saint-Martin </name> </loc.adm.town> .
</doc>
