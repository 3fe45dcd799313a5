package compress

import "spillway/ui/lab"

// cards are the questions that What if has ready.
func cards() []lab.Card {
	return []lab.Card{
		{Question: "Which link is fast enough?", About: "The link from 25 to 300 GB/s", Ask: "ask-vary=link ask-values=25,50,100,150,200,300 ask-of=slowdown_percent"},
		{Question: "Which programs gain?", About: "Contents of six networks and of BERT", Ask: "ask-vary=contents ask-values=biglstm,alexnet,inception-v2,squeezenet-v1-1,vgg16,resnet50,bert-base"},
		{Question: "How much may overflow?", About: "The share of entries that may overflow, from 5 to 60 %", Ask: "ask-vary=threshold ask-values=5,15,30,50,60"},
		{Question: "What if accesses are scattered?", About: "Scattered accesses from none to all", Ask: "ask-vary=scattered ask-values=0,10,25,50,100 ask-of=slowdown_percent"},
		{Question: "How large a cache of metadata?", About: "The metadata cache from 16 to 512 KiB", Ask: "ask-vary=cache ask-values=16,32,64,128,256,512 ask-of=slowdown_percent"},
		{Question: "Do I need targets per allocation?", About: "Nothing: the designs, ranked", Ask: "ask=rank ask-among=compared"},
	}
}
