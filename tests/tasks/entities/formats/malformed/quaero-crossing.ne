La <pers.coll> <kind> diaspora </pers.coll> </kind> ici
</name> et <loc.fac> gare
<name/> là
