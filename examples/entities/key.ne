<doc id="radio-1">
Le <func.ind> <kind> maire </kind> de <loc.adm.town> <name> Paris </name> </loc.adm.town> </func.ind> , <pers.ind> <name.first> Claire </name.first> <name.last> Morand </name.last> </pers.ind> , a reçu hier l' <func.ind> <kind> ambassadeur </kind> de la <loc.adm.nat> <name> Turquie </name> </loc.adm.nat> en <loc.adm.nat> <name> France </name> </loc.adm.nat> </func.ind> .
La rencontre a eu lieu <time.date.rel> <time-modifier> hier </time-modifier> </time.date.rel> à la <loc.fac> <kind> gare </kind> de <name> Rungis </name> </loc.fac> , devant <amount> <val> trois </val> <object> pompiers </object> </amount> .
La <org.adm> <loc.adm.nat> <name> France </name> </loc.adm.nat> </org.adm> a signé la convention le <time.date.abs> <day> 25 </day> <month> janvier </month> <year> 2013 </year> </time.date.abs> .
</doc>
<doc id="radio-2">
Le <func.ind> <kind> président </kind> </func.ind> a félicité l' <func.ind> <qualifier> ancien </qualifier> <kind> ministre </kind> </func.ind> <pers.ind> <name.first> Paul </name.first> <name.last> Vautier </name.last> </pers.ind> .
Le <func.ind> <kind> directeur </kind> de <org.ent> <name> Renault </name> </org.ent> </func.ind> prépare un <prod.rule> <qualifier> nouveau </qualifier> <kind> plan social </kind> </prod.rule> avec le <org.ent> <kind> syndicat </kind> <name> FSU </name> </org.ent> .
Le <prod.award> <name> Prix Nobel </name> de <award-cat> chimie </award-cat> </prod.award> revient à <pers.ind> <name.first> Anna </name.first> <name.last> Lindt </name.last> </pers.ind> , de l' <org.ent> <kind> hôpital </kind> <name> Saint-Martin </name> </org.ent> .
</doc>
