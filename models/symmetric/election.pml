/* Five voters and a returning officer: whoever collects three votes leads. Two leaders would be wrong.
 *
 * expect: verified
 *
 * Votes are process numbers in a channel; each voter keeps in an array whom it has voted for.
 */

#define VOTERS 5
#define NOBODY 255

chan votes = [2] of { byte };
byte choice[VOTERS] = NOBODY;
byte tally[VOTERS];
byte leader = NOBODY;
byte candidate = NOBODY;

active [VOTERS] proctype Voter()
{
	if
	:: atomic { candidate == NOBODY -> candidate = _pid; choice[_pid] = _pid }
	:: atomic { candidate != NOBODY -> choice[_pid] = candidate }
	fi;
	votes ! choice[_pid];
end:	leader == _pid;
	assert(choice[_pid] == _pid)
}

active proctype Officer()
{
	byte vote = NOBODY;

end:	do
	:: votes ? vote;
		tally[vote]++;
		if
		:: tally[vote] == VOTERS / 2 + 1 -> assert(leader == NOBODY); leader = vote
		:: else
		fi
	od
}
