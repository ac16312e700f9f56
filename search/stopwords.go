package search

import "strings"

// stopWords are the words that say nothing about a node: articles, pronouns,
// auxiliaries, prepositions, and the courtesies of a request.
var stopWords = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`
		a an the this that these those there here
		i me my mine myself we us our ours ourselves you your yours yourself he him his she her hers it its itself
		they them their theirs themselves one ones someone somebody something anyone anybody anything
		am is are was were be been being do does did doing done have has had having
		can could will would shall should may might must cant dont doesnt didnt wont isnt arent wasnt im ive id ill youre
		and or not nor but if then else than so as of at by for from in into on onto to with without within about over under
		up out off through between among during before after again
		what which who whom whose when where why how
		all any both few more most other some such no only own same too very just also ever even yet still
		please thanks thank hello hi hey ok okay kindly
		want wants wanted need needs needed like likes able let lets
		etc eg ie via per`) {
		m[w] = true
	}
	return m
}()
