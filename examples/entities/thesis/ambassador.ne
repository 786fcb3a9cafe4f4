l' <func.ind> <kind> ambassadeur </kind> de la <loc.adm.nat> <name> Turquie </name> </loc.adm.nat> en <loc.adm.nat> <name> France </name> </loc.adm.nat> </func.ind>
