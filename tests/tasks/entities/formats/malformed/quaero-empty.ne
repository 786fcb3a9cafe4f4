La <name> </name> <pers></pers> <loc> . </loc> France <kind/>
