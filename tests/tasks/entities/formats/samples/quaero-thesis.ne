La <pers.coll> <kind> diaspora </kind> <demonym> argentine </demonym> </pers.coll>
s’est réunie à <loc.adm.town id="3"> <name>Paris</name> </loc.adm.town>.
La <org.adm><loc.adm.nat> <name> France </name> </loc.adm.nat> </org.adm> a signé
