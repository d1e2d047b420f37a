-- An exchange of a meter that was entered wrongly is taken back before it is entered anew: nothing is said of its day then.
GRANT DELETE ON meter_changes TO voltstream_app;
