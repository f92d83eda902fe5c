/*
 * How VS Code windows share one port and take it over from each other. README.md explains the model, run.mjs runs it.
 *
 * A comment "SRC file: names" says which code a step stands for; a test checks that it exists. Each step is atomic, and the
 * steps of all processes interleave in every order. Three kinds of runs are made of this file, chosen by -D:
 *
 *   (default)  without time: a timer may end at any moment. What holds here holds for all delays.
 *   TIMED      a tick is a second. Time passes only when nothing is left to do at once.
 *   CHECKS     windows also check the proxy with a key, and a foreign program tries to get it.
 *
 * MAY_... says what may go wrong, BUDGET how often in total; ERR_... plants an error.
 */

#define WINDOWS 3
/* The last NEWER windows run a newer version of the extension. */
#ifndef NEWER
#define NEWER 1
#endif
#ifndef BUDGET
#define BUDGET 2
#endif
#define isNewer(w) (w >= WINDOWS - NEWER)

/* In ticks, that is in seconds, rounded up. The names are those of the code. */
#define RELEASE_LIMIT 3      /* SRC src/supervisor/portClaim.ts: RELEASE_LIMIT */
#define SUCCESSOR_LIMIT 10   /* SRC src/supervisor/portWatch.ts: SUCCESSOR_LIMIT */
#define WATCH_INTERVAL 15    /* SRC src/supervisor/portWatch.ts: WATCH_INTERVAL, watchInterval */
#define PROBE_INTERVAL 15    /* SRC src/supervisor/healthMonitor.ts: PROBE_INTERVAL */
#define STOP_LIMIT 4         /* SRC src/supervisor/proxyProcess.ts: STOP_LIMIT */
#define MAX_LAUNCHES 3       /* SRC src/supervisor/launcher.ts: MAX_LAUNCHES */
#define CRASHES 5            /* SRC src/supervisor/transition.ts: RESTART_DELAYS, crashed */
/* SRC src/supervisor/portWatch.ts: takeOverDelay, TAKE_OVER_DELAY, RANDOM_DELAY */
#define TAKE_OVER_DELAY 1
#ifdef QUICK /* a process listens before the shortest of these delays is over */
#define SHORT_DELAY 1
#define START_TIME 0
#else
#define SHORT_DELAY 0
#endif
/* The first probe after the proxy hangs, HANG_LIMIT, and the next probe, each of which takes up to HEALTH_LIMIT. */
/* SRC src/supervisor/transition.ts: HANG_LIMIT */
/* SRC src/supervisor/portProbe.ts: HEALTH_LIMIT */
#define HANG_NOTICED 52
/* START_LIMIT, and the probe during which it passes. SRC src/supervisor/launcher.ts: START_LIMIT, confirm */
#define CONFIRM_LIMIT 33
/* An assumption, not a constant of the code: how long a process takes to listen. The code gives up after START_LIMIT. */
#ifndef START_TIME
#define START_TIME 2
#endif

/* What the runs assert. */
#ifndef GAP_LIMIT
#define GAP_LIMIT 255
#endif
#ifndef SETTLE_LIMIT
#define SETTLE_LIMIT 255
#endif

#define NEVER 255 /* of a timer that is not set */

#ifdef TIMED
byte timer[WINDOWS] = NEVER;      /* of the window's state */
byte startTimer[WINDOWS] = NEVER; /* until its process must listen */
#define set(w, ticks) timer[w] = ticks
#define setStart(w, ticks) startTimer[w] = ticks
#define due(w) (timer[w] == 0)
#else
#define set(w, ticks) skip
#define setStart(w, ticks) skip
#define due(w) true
#endif

/* Messages of a process to its window. SRC src/proxy/hosts/ipcHost.ts: IpcHost */
mtype = { READY, TAKEN, STOPPED, EXITED };
chan up[WINDOWS] = [2] of { mtype };

/* ---- The proxy processes: of each window, the one that has the port or wants it. ---- */
/* One that has released the port only finishes responses, and is NONE here. */
mtype = { NONE, STARTING, SERVING, CLOSING };
mtype proc[WINDOWS] = NONE;
bool toStop[WINDOWS];    /* it was asked to stop, by its window or by another one */
bool hangs[WINDOWS];     /* it does not respond */
bool oldKeys[WINDOWS];   /* it does not use the current keys */
bool current[WINDOWS];   /* SRC src/supervisor/launcher.ts: current */
bool foreign;            /* a foreign program listens on the port */
bool trying[WINDOWS];    /* SRC src/supervisor/portHold.ts: findHolder */
bool collided;           /* a process could not listen while another window only tried the port */
bool stale;              /* a process without the port still proves that it has it */

/* ---- The windows ---- */
mtype = { OFF, RELEASING, PROBING, ASKING, AWAITING_PORT, PROBING_AGAIN, CONFIRMING_FREE, TRYING, LAUNCHING, CONFIRMING,
          RESTART_ASKING, RESTART_AWAITING, OWNER, CLIENT, LOST, BLOCKED, HELD, YIELDING, RESTARTING, FAILED, ENDED };
/* SRC src/supervisor/transition.ts: Situation, transition */
mtype state[WINDOWS] = OFF;
bool mayNotTakeOver[WINDOWS]; /* SRC src/supervisor/transition.ts: mayTakeOver */
byte crashes[WINDOWS];        /* SRC src/supervisor/transition.ts: crashes */
byte launches[WINDOWS];       /* SRC src/supervisor/launcher.ts: acquire */
byte owner[WINDOWS];          /* client: whose proxy, plus 1; asking: whom it has asked; 0: that process is gone */
bool told[WINDOWS];           /* the keys have changed, and this window has not reacted yet */

bool stopFile;                /* SRC src/supervisor/sharedStop.ts: SharedStop */
bool resumes[WINDOWS];        /* SRC src/supervisor/sharedStop.ts: resumes */

#ifdef MAY_KEYS
bool draining[WINDOWS]; /* a process finishes responses after it has released the port */
#endif
byte budget = BUDGET;
byte gap;       /* for how many ticks nobody serves although somebody wants to and could */
byte unsettled; /* for how many ticks the windows have not found their roles */
byte asked;     /* how often a window asked for the port, since the user did something */

#ifdef CHECKS
#define FOREIGN (WINDOWS + 1)
byte conn[WINDOWS];   /* the other end of a connection: a window's process plus 1, FOREIGN, 0: none */
bool proven[WINDOWS]; /* the proof came over this connection */
bool sawChallenge;    /* the foreign program has had a challenge of a window, */
bool hasReport;       /* and has sent it to a proxy on the port, which answered it */
#endif

/* Whether a foreign program has an answer that the window takes for a proof. */
/* SRC src/shared/ownership.ts: openReport, sealReport, reportKey */
#ifdef ERR_PROOF_WITHOUT_PORT
#define isForged true /* it asks a proxy of the same user on another port */
#else
#ifdef ERR_PROOF_WITHOUT_NONCE
#define isForged hasReport
#else
#define isForged stale
#endif
#endif

#ifdef ERR_REUSE_PORT
#define mayListen (!foreign)
#else
/* The operating system lets one process listen on a port. */
#define mayListen (!foreign && isUnused)
#endif
#define listens(w) (proc[w] == SERVING || proc[w] == CLOSING)
#define isUnused (!listens(0) && !listens(1) && !listens(2) && !trying[0] && !trying[1] && !trying[2])
#define listensBesides(w) ((w != 0 && listens(0)) || (w != 1 && listens(1)) || (w != 2 && listens(2)))
/* What a probe finds. SRC src/supervisor/portProbe.ts: probe, probeOnce, Probe */
#define proves(w) (proc[w] == SERVING && !hangs[w])
#define isOwn (proves(0) || proves(1) || proves(2))
/* A connection attempt is refused. */
#define isFree (!foreign && !listens(0) && !listens(1) && !listens(2) && !trying[0] && !trying[1] && !trying[2])
/* A window that tries the port closes each connection: the probe is repeated. */
/* SRC src/supervisor/portProbe.ts: ATTEMPTS, BETWEEN_ATTEMPTS */
#define isTried (trying[0] || trying[1] || trying[2])
/* A proxy that is ending proves nothing any more: a window that decides by the probe repeats it. */
/* SRC src/supervisor/portProbe.ts: probeSteadily */
#ifdef ERR_NO_RETRY
#define isTransient isTried
#else
#define isTransient (isTried || isAnyEnding)
#endif
#define isAnyEnding (isEnding(0) || isEnding(1) || isEnding(2))
#define isEnding(w) (proc[w] == CLOSING && !hangs[w])
#define isOther (!isFree && !isOwn && !isTried)
#define server (proves(0) -> 0 : (proves(1) -> 1 : 2))
#define isOutdated (isOwn && isNewerThan(self, server))
#ifdef ERR_TURNS
#define isNewerThan(a, b) (isNewer(a) != isNewer(b))
#else
#define isNewerThan(a, b) (isNewer(a) && !isNewer(b))
#endif

/* A window whose last start is over asks no more: it would not use the port. */
#ifdef ERR_ASK_IN_VAIN
#define mayAsk(w) (isOutdated && !mayNotTakeOver[w])
#else
#define mayAsk(w) (isOutdated && !mayNotTakeOver[w] && launches[w] < MAX_LAUNCHES)
#endif

/* SRC src/supervisor/transition.ts: start */
/* SRC src/supervisor/supervisor.ts: acquire */
/* SRC src/supervisor/launcher.ts: release */
inline begin(w) {
  state[w] = RELEASING; launches[w] = 0; owner[w] = 0; letGo(w);
  set(w, (hangs[w] -> STOP_LIMIT : NEVER));
}

/* SRC src/supervisor/launcher.ts: release */
/* SRC src/supervisor/proxyProcess.ts: release, askToStop */
inline letGo(w) {
  current[w] = false;
  trying[w] = false;
  if
  :: proc[w] == STARTING || proc[w] == SERVING -> toStop[w] = true
  :: else
  fi;
  do :: nempty(up[w]) -> up[w]?_ :: empty(up[w]) -> break od;
#ifdef CHECKS
  conn[w] = 0; proven[w] = false;
#endif
}

/* The user starts or restarts the proxy in this window. SRC src/supervisor/transition.ts: CLEAN */
inline clean(w) { mayNotTakeOver[w] = false; crashes[w] = 0; asked = 0 }

/* After 0.3 to 0.9 seconds. SRC src/supervisor/transition.ts: COMPETE */
/* SRC src/supervisor/supervisor.ts: perform */
inline compete(w) {
#ifdef TIMED
  if :: set(w, SHORT_DELAY) :: set(w, TAKE_OVER_DELAY) fi;
#endif
  state[w] = RESTARTING
}

/* SRC src/supervisor/transition.ts: crashed */
inline crash(w) {
  current[w] = false;
  trying[w] = false;
#ifndef ERR_AGAIN
  mayNotTakeOver[w] = true;
#endif
#ifdef CHECKS
  conn[w] = 0; proven[w] = false;
#endif
  owner[w] = 0;
  crashes[w]++;
  if
  :: crashes[w] >= CRASHES -> state[w] = FAILED; crashes[w] = 0; set(w, WATCH_INTERVAL)
  :: else -> state[w] = RESTARTING; set(w, 1 << (crashes[w] - 1))
  fi
}

/* The process releases its port for another window. */
/* SRC src/supervisor/portWatch.ts: awaitSuccessor */
inline yield(w) {
  current[w] = false;
  owner[w] = 0;
#ifdef CHECKS
  conn[w] = 0; proven[w] = false;
#endif
#ifdef ERR_NO_SUCCESSOR
  begin(w)
#else
  state[w] = YIELDING; set(w, SUCCESSOR_LIMIT)
#endif
}

/* A process of this window has left the port: idle connections to it end. A client whose first check is still running has
   none yet, and finds out with its next probe. SRC src/supervisor/portWatch.ts: watchOwner */
inline leftBy(w) {
  i = 0;
  do
  :: i < WINDOWS ->
    if
    :: owner[i] == w + 1 ->
      owner[i] = 0;
      if
      :: state[i] == CLIENT -> state[i] = LOST;
#ifdef TIMED
        if :: set(i, SHORT_DELAY) :: set(i, TAKE_OVER_DELAY) :: set(i, PROBE_INTERVAL + TAKE_OVER_DELAY) fi
#endif
      :: else
      fi
    :: else
    fi;
    i++
  :: else -> break
  od;
  i = 0
}

/* The process of this window has ended. Its connections are closed. */
inline exited(w) {
  leftBy(w);
#ifdef CHECKS
  i = 0;
  do :: i < WINDOWS -> if :: conn[i] == w + 1 -> conn[i] = 0; proven[i] = false :: else fi; i++ :: else -> break od;
  i = 0;
#endif
  proc[w] = NONE; toStop[w] = false; hangs[w] = false; oldKeys[w] = false; setStart(w, NEVER);
  if
  :: current[w] -> up[w]!EXITED
  :: else
  fi
}

/* SRC src/supervisor/launcher.ts: launch, fork */
inline launch(w) {
  proc[w] = STARTING; current[w] = true; oldKeys[w] = told[w]; state[w] = LAUNCHING; set(w, NEVER); setStart(w, START_TIME);
}

/* SRC src/supervisor/portClaim.ts: decideOwnership */
inline join(w) {
  state[w] = CLIENT; owner[w] = server + 1; set(w, NEVER); launches[w] = 0
}
inline block(w, how) {
  /* A window does not take an own proxy for another program, unless it hangs. */
  assert(how == HELD || foreign || hangs[0] || hangs[1] || hangs[2]);
  state[w] = how; set(w, WATCH_INTERVAL); owner[w] = 0; launches[w] = 0
}

/* A window asks another one's proxy for the port. */
/* SRC src/supervisor/portClaim.ts: requestPort, askOutdated */
/* SRC src/supervisor/localProxy.ts: askForPort */
/* SRC src/proxy/server/windowRequests.ts: windowRequest, answerWindow */
inline ask(w) {
  owner[w] = server + 1; toStop[server] = true; set(w, RELEASE_LIMIT); asked++;
  assert(!isNewer(server) || isNewer(w)); /* a newer version is never displaced */
#ifdef ASK_LIMIT
  assert(asked <= ASK_LIMIT)
#endif
}

/* SRC src/supervisor/supervisor.ts: Supervisor, dispatch */
proctype Window(byte self) {
  byte i;
end:
  do
  /* SRC src/supervisor/supervisor.ts: start */
  /* SRC src/supervisor/sharedStop.ts: begin, start */
  :: atomic { state[self] == OFF && !stopFile && !resumes[self] && (self != 1 || resumes[0] || isNewer(1)) -> clean(self); resumes[self] = true; begin(self) }

  /* SRC src/supervisor/sharedStop.ts: follow */
  :: atomic { stopFile && state[self] != OFF && state[self] != ENDED ->
       letGo(self); owner[self] = 0; state[self] = OFF; set(self, (hangs[self] -> STOP_LIMIT : NEVER)); resumes[self] = true }
  :: atomic { !stopFile && state[self] == OFF && resumes[self] -> clean(self); begin(self) }

  /* SRC src/supervisor/launcher.ts: release */
  :: atomic { state[self] == RELEASING && proc[self] == NONE -> state[self] = PROBING; set(self, NEVER) }
  /* SRC src/supervisor/proxyProcess.ts: askToStop, kill */
  :: atomic { (state[self] == RELEASING || state[self] == OFF || state[self] == ENDED) && proc[self] != NONE && hangs[self] &&
       due(self) -> exited(self); set(self, NEVER) }

  /* SRC src/supervisor/launcher.ts: acquire, probe */
  :: atomic { state[self] == PROBING && !isTransient ->
       if
       :: isOwn && mayAsk(self) -> state[self] = ASKING
       :: isOwn && !mayAsk(self) -> join(self)
       :: isOther -> block(self, BLOCKED)
       :: isFree && launches[self] == 0 -> launch(self)
       :: isFree && launches[self] > 0 -> state[self] = CONFIRMING_FREE
       fi }

  /* SRC src/supervisor/portClaim.ts: askOutdated, requestPort, isOutdated */
  :: atomic { state[self] == ASKING && !isTried ->
       if
       :: isOutdated -> ask(self); state[self] = AWAITING_PORT
       :: isOwn && !isOutdated -> state[self] = PROBING_AGAIN
       :: !isOwn -> set(self, RELEASE_LIMIT); state[self] = AWAITING_PORT
       fi }
  :: atomic { state[self] == AWAITING_PORT && (isFree || (isOwn && owner[self] != server + 1) || due(self)) ->
       state[self] = PROBING_AGAIN; owner[self] = 0; set(self, NEVER) }
  :: atomic { state[self] == PROBING_AGAIN && !isTransient ->
       if
       :: isOwn -> join(self)
       :: isOther -> block(self, BLOCKED)
       :: isFree ->
         assert(launches[self] < MAX_LAUNCHES); /* it does not ask for a port that it would not use */
         if :: launches[self] == 0 -> launch(self) :: else -> state[self] = CONFIRMING_FREE fi
       fi }

  /* The window listens for a moment. */
  /* SRC src/supervisor/portProbe.ts: confirmFree */
  /* SRC src/supervisor/portHold.ts: findHolder */
  :: atomic { state[self] == CONFIRMING_FREE && !isTransient ->
       if
       :: mayListen -> trying[self] = true; state[self] = TRYING
       :: !mayListen && isOwn -> join(self)
       :: !mayListen && isOther -> block(self, BLOCKED)
       fi }
  :: atomic { state[self] == TRYING ->
       trying[self] = false;
       if
       :: launches[self] >= MAX_LAUNCHES -> block(self, HELD)
       :: else -> launch(self)
       fi }

  /* SRC src/supervisor/launcher.ts: launch, confirm */
  :: atomic { state[self] == LAUNCHING && up[self]?[TAKEN] -> up[self]?TAKEN; current[self] = false; launches[self]++; state[self] = PROBING }
  :: atomic { state[self] == LAUNCHING && up[self]?[READY] ->
       up[self]?READY; state[self] = CONFIRMING; set(self, (hangs[self] -> CONFIRM_LIMIT : NEVER)) }
  /* SRC src/supervisor/portProbe.ts: probeKeys */
  :: atomic { state[self] == CONFIRMING && isOwn && !hangs[self] ->
       state[self] = OWNER; launches[self] = 0; set(self, NEVER) }
  :: atomic { state[self] == CONFIRMING && hangs[self] && due(self) -> exited(self) }
  :: atomic { state[self] == CONFIRMING && isFree && proc[self] == SERVING -> exited(self) }

  /* SRC src/supervisor/launcher.ts: fork */
  /* SRC src/supervisor/transition.ts: transition, crashed */
  :: atomic { (state[self] == LAUNCHING || state[self] == CONFIRMING || state[self] == OWNER) && up[self]?[EXITED] ->
       up[self]?EXITED; launches[self] = 0; crash(self) }
  :: atomic { (state[self] == CONFIRMING || state[self] == OWNER) && up[self]?[STOPPED] -> up[self]?STOPPED; launches[self] = 0; yield(self) }
  /* SRC src/supervisor/portWatch.ts: awaitSuccessor */
  :: atomic { state[self] == YIELDING && (isOwn || due(self)) -> begin(self) }

  /* SRC src/supervisor/transition.ts: transition, COMPETE */
  /* SRC src/supervisor/healthMonitor.ts: noteProbe */
  :: atomic { state[self] == LOST && due(self) -> if :: isOwn -> join(self) :: else -> begin(self) fi }
  :: atomic { state[self] == RESTARTING && due(self) -> begin(self) }

  /* SRC src/supervisor/portWatch.ts: watchPort, isChange, identify */
  :: atomic { state[self] == BLOCKED && due(self) && !isTried ->
       if :: isOther -> set(self, WATCH_INTERVAL) :: else -> compete(self) fi }
  :: atomic { state[self] == HELD && due(self) -> compete(self) }
  :: atomic { state[self] == FAILED && due(self) && !isTried ->
       if :: isOwn -> compete(self) :: else -> set(self, WATCH_INTERVAL) fi }

  /* The owner finds out that its process hangs. */
  /* SRC src/supervisor/healthMonitor.ts: HealthMonitor, poll */
  /* SRC src/supervisor/launcher.ts: crash */
  :: atomic { state[self] == OWNER && hangs[self] && due(self) -> exited(self) }

  /* The user restarts the proxy, or its keys are not the current ones. */
  /* SRC src/supervisor/supervisor.ts: restart, ensureCurrentKeys */
  /* SRC src/supervisor/portClaim.ts: requestPort */
  :: atomic { state[self] == RESTART_ASKING && !isTried ->
       if
       :: isOwn && !(isNewer(server) && !isNewer(self)) -> ask(self); state[self] = RESTART_AWAITING
       :: isOwn && isNewer(server) && !isNewer(self) -> clean(self); begin(self)
       :: !isOwn -> set(self, RELEASE_LIMIT); state[self] = RESTART_AWAITING
       fi }
  :: atomic { state[self] == RESTART_AWAITING && (isFree || (isOwn && owner[self] != server + 1) || due(self)) ->
       clean(self); begin(self) }

#ifdef MAY_KEYS
  /* Keys have changed. SRC src/supervisor/supervisor.ts: secretsChanged */
  /* SRC src/supervisor/launcher.ts: sendSecrets */
  :: atomic { told[self] ->
       told[self] = false;
       if :: proc[self] == STARTING || proc[self] == SERVING -> oldKeys[self] = false :: else fi;
#ifdef ERR_REVIVED_SECRET
       stale = stale || draining[self];
#endif
       if
       :: state[self] == CLIENT && isOwn && oldKeys[server] && !(isNewer(server) && !isNewer(self)) -> owner[self] = 0; state[self] = RESTART_ASKING
       :: else
       fi }
#endif

#ifdef CHECKS
  /* A check with a key. The connection is new; the proof comes over it. */
  /* SRC src/supervisor/healthMonitor.ts: findHealth, askBackend */
  /* SRC src/supervisor/localProxy.ts: VerifiedConnection, withConnection */
  :: atomic { (state[self] == OWNER || state[self] == CLIENT || state[self] == LOST) && conn[self] == 0 && (foreign || isOwn) ->
       if
       :: foreign ->
         conn[self] = FOREIGN; sawChallenge = true;
         proven[self] = isForged
       /* SRC src/proxy/server/windowRequests.ts: proofFor */
       /* SRC src/shared/ownership.ts: isFromWindow, makeChallenge */
       :: !foreign && isOwn -> conn[self] = server + 1; proven[self] = true; hasReport = hasReport || sawChallenge
       fi }
  /* SRC src/supervisor/localProxy.ts: askModels, post, requireReport */
  /* SRC src/supervisor/localHttp.ts: SingleSocketAgent, createConnection */
  :: atomic { conn[self] != 0 ->
#ifdef ERR_NEW_CONNECTION
       if :: proven[self] -> assert(!foreign) :: else fi;
#else
       if :: proven[self] -> assert(conn[self] != FOREIGN) :: else fi;
#endif
       conn[self] = 0; proven[self] = false }
#endif
  od
}

/* SRC src/proxy/hosts/ipcHost.ts: IpcHost, serveParent */
proctype Process(byte self) {
  byte i;
end:
  do
  /* SRC src/proxy/hosts/service.ts: startService */
  /* SRC src/proxy/hosts/ipcHost.ts: start */
  :: atomic { proc[self] == STARTING && !toStop[self] && !(collided && isTried) ->
       collided = collided || isTried;
       if
       :: mayListen ->
         proc[self] = SERVING; gap = 0; setStart(self, NEVER);
         assert(!listensBesides(self)); /* never two owners */
         assert(!stale);
         up[self]!READY
       :: else -> proc[self] = NONE; setStart(self, NEVER); oldKeys[self] = false; up[self]!TAKEN
       fi }
  :: atomic { proc[self] == STARTING && toStop[self] -> exited(self) }
  /* First it stops to prove that it has the port, then it stops to listen. */
  /* SRC src/proxy/hosts/ipcHost.ts: finish, stop */
  /* SRC src/proxy/hosts/service.ts: stop */
  :: atomic { proc[self] == SERVING && toStop[self] && !hangs[self] -> proc[self] = CLOSING }
  /* SRC src/proxy/server/server.ts: close, acceptWaiting */
  :: atomic { proc[self] == CLOSING && !hangs[self] ->
       leftBy(self);
       proc[self] = NONE; toStop[self] = false; oldKeys[self] = false;
#ifdef ERR_STALE_SECRET
       stale = true;
#endif
#ifdef MAY_KEYS
       draining[self] = true;
#endif
       if :: current[self] -> up[self]!STOPPED :: else fi }
#ifdef MAY_KEYS
  :: atomic { draining[self] -> draining[self] = false }
#endif
  od
}

#ifdef ONLY_NEWER_CRASHES
#define mayCrash(w) isNewer(w)
#else
#define mayCrash(w) true
#endif
#define lives(w) (state[w] != ENDED)
inline noteHang(w) {
  if
  :: state[w] == OWNER -> set(w, HANG_NOTICED)
  :: state[w] == CONFIRMING -> set(w, CONFIRM_LIMIT)
  :: state[w] == RELEASING || state[w] == OFF || state[w] == ENDED -> set(w, STOP_LIMIT)
  :: else
  fi
}
/* What may happen at any time, BUDGET times in all. Limits count from the last time. */
inline spend() { budget--; gap = 0; unsettled = 0 }

proctype World() {
  byte i;
  byte w;
end:
  do
  :: atomic { budget > 0 ->
       if :: w = 0 :: w = 1 :: w = 2 fi;
       if
#ifdef MAY_CRASH
       /* A proxy crashes. */
       :: proc[w] != NONE && !hangs[w] && mayCrash(w) -> spend(); exited(w)
#endif
#ifdef MAY_HANG
       :: proc[w] == SERVING && !hangs[w] -> spend(); hangs[w] = true; noteHang(w)
#endif
#ifdef MAY_CLOSE
       /* A window closes. SRC src/supervisor/supervisor.ts: end */
       /* SRC src/supervisor/launcher.ts: stop */
       :: lives(w) && state[w] != OFF -> spend(); letGo(w); owner[w] = 0; launches[w] = 0; told[w] = false;
          state[w] = ENDED; set(w, (hangs[w] -> STOP_LIMIT : NEVER))
       /* A window crashes: the channel to its process closes. SRC src/proxy/hosts/ipcHost.ts: serveParent */
       :: lives(w) && state[w] != OFF -> spend(); letGo(w); owner[w] = 0; launches[w] = 0; told[w] = false;
          if :: proc[w] != NONE -> exited(w) :: else fi;
          state[w] = ENDED; set(w, NEVER)
#endif
#ifdef MAY_STOP
       /* The user stops the proxy in one window. SRC src/supervisor/supervisor.ts: stop */
       :: lives(w) && state[w] != OFF && !stopFile -> spend(); letGo(w); owner[w] = 0; state[w] = OFF; resumes[w] = false;
          set(w, (hangs[w] -> STOP_LIMIT : NEVER))
       /* ... or in all. SRC src/supervisor/sharedStop.ts: stopAll */
       :: lives(w) && !stopFile -> spend(); stopFile = true
       :: lives(w) && stopFile && state[w] == OFF -> spend(); stopFile = false; clean(w); begin(w)
#endif
#ifdef MAY_RESTART
       :: state[w] == CLIENT || state[w] == OWNER -> spend(); clean(w);
          if :: state[w] == CLIENT -> owner[w] = 0; state[w] = RESTART_ASKING :: else -> begin(w) fi
#endif
#ifdef MAY_KEYS
       :: w == 0 && !told[0] && !told[1] && !told[2] -> spend();
          do :: i < WINDOWS -> told[i] = lives(i); oldKeys[i] = (proc[i] == STARTING || proc[i] == SERVING); i++ :: else -> break od;
          i = 0
#endif
#ifdef MAY_FOREIGN
       :: w == 0 && mayListen && !foreign -> spend(); foreign = true
#endif
       :: else -> budget = 0 /* nothing more happens */
       fi;
       w = 0 }
  /* That it leaves costs nothing: it may stay as well. */
  :: atomic { foreign -> foreign = false; gap = 0; unsettled = 0 }
  od
}

#ifdef TIMED
#define isBusy(w) \
  (len(up[w]) > 0 || timer[w] == 0 || startTimer[w] == 0 || told[w] || (proc[w] == CLOSING && !hangs[w]) || (toStop[w] && proc[w] == STARTING) || \
   (toStop[w] && proc[w] == SERVING && !hangs[w]) || (state[w] == RELEASING && proc[w] == NONE) || \
   state[w] == PROBING || state[w] == ASKING || state[w] == PROBING_AGAIN || state[w] == CONFIRMING_FREE || state[w] == TRYING || \
   (state[w] == CONFIRMING && !hangs[w]) || state[w] == RESTART_ASKING || (state[w] == YIELDING && isOwn) || \
   ((state[w] == AWAITING_PORT || state[w] == RESTART_AWAITING) && (isFree || (isOwn && owner[w] != server + 1))) || \
   (stopFile && state[w] != OFF && state[w] != ENDED) || (!stopFile && state[w] == OFF && resumes[w]))
#define pass(x) x = ((x == NEVER || x == 0) -> x : x - 1)
#define wants(w) (state[w] != OFF && state[w] != ENDED && state[w] != FAILED)
#define isPlaced(w) (!wants(w) || state[w] == OWNER || state[w] == CLIENT)

proctype Clock() {
  do
  :: atomic { !isBusy(0) && !isBusy(1) && !isBusy(2) ->
       pass(timer[0]); pass(timer[1]); pass(timer[2]); pass(startTimer[0]); pass(startTimer[1]); pass(startTimer[2]);
       if
       :: isOwn || foreign || (!wants(0) && !wants(1) && !wants(2)) -> gap = 0
       :: else -> gap = (GAP_LIMIT == 255 -> 0 : gap + 1); assert(gap <= GAP_LIMIT) /* never none for longer than the limits */
       fi;
       if
       :: foreign || (isPlaced(0) && isPlaced(1) && isPlaced(2)) -> unsettled = 0
       :: else -> unsettled = (SETTLE_LIMIT == 255 -> 0 : unsettled + 1); assert(unsettled <= SETTLE_LIMIT)
       fi };
#ifdef CYCLES
progress:
       skip
#endif
  od
}
#endif

init {
  atomic {
    run Window(0); run Window(1); run Window(2);
    run Process(0); run Process(1); run Process(2);
    run World();
#ifdef TIMED
    run Clock();
#endif
  }
}
