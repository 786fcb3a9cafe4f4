La <org.adm> <loc.adm.nat> <name> France </name> </loc.adm.nat> </org.adm> a signé la convention .
