<doc id="radio-1">
Le <func.ind> <name> maire de Paris </name> </func.ind> , <pers.ind> <name> Claire Morand </name> </pers.ind> , a reçu hier l' <func.ind> <name> ambassadeur de la </name> <loc.adm.nat> <name> Turquie </name> </loc.adm.nat> en <loc.adm.nat> <name> France </name> </loc.adm.nat> </func.ind> .
La rencontre a eu lieu <time.date.rel> <name> hier </name> </time.date.rel> à la <loc.fac> <name> gare de Rungis </name> </loc.fac> , devant <amount> <name> trois pompiers </name> </amount> .
La <org.adm> <loc.adm.nat> <name> France </name> </loc.adm.nat> </org.adm> a signé la convention le <time.date.abs> <name> 25 janvier 2013 </name> </time.date.abs> .
</doc>
<doc id="radio-2">
Le <func.ind> <name> président </name> </func.ind> a félicité l' <func.ind> <name> ancien ministre </name> </func.ind> <pers.ind> <name> Paul Vautier </name> </pers.ind> .
Le <func.ind> <name> directeur de </name> <org.ent> <name> Renault </name> </org.ent> </func.ind> prépare un nouveau plan social avec le <org.ent> <name> syndicat FSU </name> </org.ent> .
Le <prod.award> <name> Prix Nobel de chimie </name> </prod.award> revient à <pers.ind> <name> Anna Lindt </name> </pers.ind> , de l' <loc.fac> <name> hôpital Saint-Martin </name> </loc.fac> .
</doc>
