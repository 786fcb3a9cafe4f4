<doc id="radio-1">
Le <func.ind> <kind> maire </kind> de <loc.adm.town> <name> Paris </name> </loc.adm.town> </func.ind> , <pers.ind> <name.first> Claire </name.first> <name.last> Morand </name.last> </pers.ind> , a reçu hier l' <func.ind> <kind> ambassadeur </kind> de la <name> Turquie </name> en <name> France </name> </func.ind> .
La rencontre a eu lieu <time.date.rel> <time-modifier> hier </time-modifier> </time.date.rel> à la <org.ent> <kind> gare </kind> de <name> Rungis </name> </org.ent> , devant <amount> <val> trois </val> <object> pompiers </object> </amount> .
La <loc.adm.nat> <name> France </name> </loc.adm.nat> a signé la <prod.rule> <kind> convention </kind> </prod.rule> le <time.date.abs> <day> 25 </day> <month> janvier </month> <year> 2013 </year> </time.date.abs> .
</doc>
<doc id="radio-2">
Le <func.ind> <kind> président </kind> </func.ind> a félicité l' ancien <func.ind> <kind> ministre </kind> </func.ind> <pers.ind> <name.first> Paul </name.first> <name.last> Vautier </name.last> </pers.ind> .
Le <func.ind> <kind> directeur </kind> de <name> Renault </name> </func.ind> prépare un nouveau <prod.rule> <kind> plan social </kind> </prod.rule> avec le <org.ent> <kind> syndicat </kind> <name> FSU </name> </org.ent> .
Le <prod.award> <name> Prix Nobel </name> de <award-cat> chimie </award-cat> </prod.award> revient à <pers.coll> <name.first> Anna </name.first> <name.last> Lindt </name.last> </pers.coll> , de l' <org.ent> <kind> hôpital </kind> <name> Saint-Martin </name> </org.ent> .
</doc>
