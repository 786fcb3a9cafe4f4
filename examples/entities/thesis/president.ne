le <func.ind> <kind> président </kind> </func.ind> et l' <func.ind> <qualifier> ancien </qualifier> <kind> ministre </kind> </func.ind>
