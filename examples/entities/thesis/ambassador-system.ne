l' <func.ind> <kind> ambassadeur </kind> de la <name> Turquie </name> en <name> France </name> </func.ind>
