/*
 * Stable marriage as a protocol: N suitors propose, N ladies answer. A lady keeps the best suitor so far and turns the
 * one before him down. A suitor who is kept may lose heart and break the engagement off himself. All messages are handed over
 * directly, and here is the mistake: a lady who turns a suitor down while he breaks off waits for him, and he for her.
 *
 * expect: violated
 * errors: deadlock
 * states: 3921
 * transitions: 11001
 */
#ifndef N
#define N 2
#endif
#define NOBODY N

mtype = { propose, keep, refuse, leave };

chan to_lady[N] = [0] of { mtype, byte };
chan to_suitor[N] = [0] of { mtype, byte };

/* Each has the same taste, turned by one for each: the rank of a suitor with lady w. */
#define RANK(w, m) ((m + w) % N)

proctype suitor(byte me)
{
	byte choice = me, from, tries;
	do
	:: tries < N ->
		to_lady[choice]!propose, me;
		if
		:: to_suitor[me]?keep, _ ->
			if
			:: to_suitor[me]?refuse, _
			:: skip; to_lady[choice]!leave, me /* his mind is made up */
			:: goto married
			fi
		:: to_suitor[me]?refuse, _
		fi;
		choice = (choice + 1) % N;
		tries++
	:: else -> break
	od;
	goto end_alone;
married:
	/* He stays, unless a better one comes. */
end_married:
	to_suitor[me]?refuse, _;
	choice = (choice + 1) % N;
	tries++;
	if
	:: tries < N ->
		to_lady[choice]!propose, me;
		if
		:: to_suitor[me]?keep, _ -> goto end_married
		:: to_suitor[me]?refuse, _
		fi
	:: else
	fi;
end_alone:
	false
}

proctype lady(byte me)
{
	byte fiance = NOBODY, who, former;
end_listen:
	do
	:: to_lady[me]?propose, who ->
		if
		:: fiance == NOBODY ->
			to_suitor[who]!keep, me;
			fiance = who
		:: fiance != NOBODY && RANK(me, who) < RANK(me, fiance) ->
			to_suitor[who]!keep, me;
			former = fiance;
			fiance = who;
			to_suitor[former]!refuse, me
		:: else ->
			to_suitor[who]!refuse, me
		fi
	:: to_lady[me]?leave, who ->
		if
		:: who == fiance -> fiance = NOBODY
		:: else
		fi
	od
}

init {
	byte i;
	atomic {
		for (i : 0 .. N - 1) {
			run lady(i);
			run suitor(i)
		}
	}
}
