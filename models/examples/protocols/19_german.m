-- The cache coherence protocol that Steven German posed in 2000 as a challenge for verification by parameters, with
-- three channels for each node, and data: a read sees the last write.
const
  nodes: 2;

type
  node:    scalarset(nodes);
  data:    enum { old, new };
  state:   enum { invalid, shared, exclusive };
  command: enum { nothing, ask_shared, ask_exclusive, invalidate, ack, grant_shared, grant_exclusive };
  message: record cmd: command; value: data; end;

var
  cache:   array [node] of record st: state; value: data; end;
  up:      array [node] of message;     -- requests, to the home
  down:    array [node] of message;     -- grants and invalidations, to the node
  acks:    array [node] of message;
  listed:  array [node] of boolean;     -- nodes that the home knows to share
  told:    array [node] of boolean;     -- nodes that are still to be invalidated
  granted: boolean;                     -- some node is exclusive
  serving: command;
  client:  node;
  memory:  data;
  latest:  data;                        -- what the last write wrote

procedure begin_serving(i: node);
begin
  serving := up[i].cmd;
  client := i;
  up[i].cmd := nothing;
  for j: node do told[j] := listed[j]; end;
end;

procedure send(var m: message; c: command; v: data);
begin
  m.cmd := c;
  m.value := v;
end;

function alone(): boolean;
begin
  return forall j: node do !listed[j] end;
end;

startstate "empty caches"
  for i: node do
    clear cache[i];
    undefine cache[i].value;
    up[i].cmd := nothing;
    down[i].cmd := nothing;
    acks[i].cmd := nothing;
    listed[i] := false;
    told[i] := false;
  end;
  granted := false;
  serving := nothing;
  memory := old;
  latest := old;
end;

ruleset i: node do
  alias c: cache[i] do
    rule "asks to share" up[i].cmd = nothing & c.st = invalid ==>
      up[i].cmd := ask_shared;
    end;

    rule "asks to own" up[i].cmd = nothing & c.st != exclusive ==>
      up[i].cmd := ask_exclusive;
    end;

    rule "is invalidated" down[i].cmd = invalidate & acks[i].cmd = nothing ==>
      acks[i].cmd := ack;
      if c.st = exclusive then acks[i].value := c.value; end;
      undefine down[i];
      down[i].cmd := nothing;
      c.st := invalid;
      undefine c.value;
    end;

    rule "is granted" down[i].cmd = grant_shared | down[i].cmd = grant_exclusive ==>
      switch down[i].cmd
      case grant_shared:    c.st := shared;
      case grant_exclusive: c.st := exclusive;
      end;
      c.value := down[i].value;
      undefine down[i];
      down[i].cmd := nothing;
    end;

    ruleset v: data do
      rule "writes" c.st = exclusive ==>
        c.value := v;
        latest := v;
      end;
    end;
  end;

  rule "home serves" serving = nothing & up[i].cmd != nothing ==>
    begin_serving(i);
  end;

  rule "home invalidates"
    told[i] & down[i].cmd = nothing & (serving = ask_exclusive | serving = ask_shared & granted)
  ==>
    down[i].cmd := invalidate;
    told[i] := false;
  end;

  rule "home is told" acks[i].cmd = ack & serving != nothing ==>
    listed[i] := false;
    if granted then
      granted := false;
      memory := acks[i].value;
    end;
    undefine acks[i];
    acks[i].cmd := nothing;
  end;
end;

rule "home grants" serving != nothing & !granted & (serving = ask_shared | alone()) & down[client].cmd = nothing ==>
begin
  if serving = ask_shared then
    send(down[client], grant_shared, memory);
  else
    send(down[client], grant_exclusive, memory);
    granted := true;
  end;
  listed[client] := true;
  serving := nothing;
  undefine client;
end;

invariant "one writer"
  forall i: node do forall j: node do i != j & cache[i].st = exclusive -> cache[j].st = invalid end end;

invariant "reads see the last write"
  forall i: node do cache[i].st != invalid -> cache[i].value = latest end;

cover "somebody owns" exists i: node do cache[i].st = exclusive end;
