mtype = { req, ack };
proctype a() { skip }
