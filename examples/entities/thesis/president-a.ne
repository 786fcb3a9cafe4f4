le <func.ind> <kind> président </kind> </func.ind> et l' ancien ministre
