"""The simple systems for transcripts. They hear nothing: what they get is what can be had without listening."""
