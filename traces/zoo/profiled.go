package zoo

// An efficiency says how much of a GPU a class of kernels uses when warm, in the G10 artifact.
// Only its own times rest on these ([Profiled], [AsPaper]); estimates are the law's.
type efficiency struct {
	kernel    string
	pointwise bool    // the row for convolutions with a 1x1 window
	start     int64   // microseconds before the first byte or operation
	compute   float64 // of the FP32 peak; above 1 on TF32 tensor cores; 0 for kernels that only move data
	memory    float64 // of the memory's peak, over all inputs and outputs once
}

// moduleRates and listRates are least-squares fits to the kernel times that the
// G10 artifact measured on an A100 40 GB (results/*/cudnn*.txt, commit de2c8c6),
// for its networks given as modules and as operator lists. Convolutions ran on
// TF32 tensor cores, matrix products on FP32 units.
//
// Three things differ from the fits. The measured start of rows marked "warm" is
// 58 to 75 ms whatever the size, the cost of a first call; here it is that of
// similar kernels. Where these rows' rates could not be told from the start
// (Dropout_Backward, both Linear_Backward_Input) the forward kernel's stand in.
// No kernel moves data faster than 0.85 of the peak: some measured ones seem to,
// because the profiled launch did nothing.
var moduleRates = []efficiency{
	{"AdaptiveAvgPool2d_Backward", false, 100, 0, 0.016}, // warm
	{"AdaptiveAvgPool2d_Forward", false, 100, 0, 0.7624},
	{"Add_Forward", false, 300, 0, 0.5705},
	{"Add_MultiGredient", false, 0, 0, 0.5705},
	{"BatchNorm2d_Apply_Grad", false, 10, 0, 0.0314},
	{"BatchNorm2d_Backward", false, 100, 0, 0.3194}, // warm
	{"BatchNorm2d_Forward", false, 100, 0, 0.4702},  // warm
	{"Concat_Backward", false, 0, 0, 0.85},
	{"Concat_Forward", false, 0, 0, 0.85},
	{"Conv2d_Apply_Grad", false, 10, 0, 0.85},
	{"Conv2d_Backward_Input", true, 100, 2.3006, 0.6284},
	{"Conv2d_Backward_Input", false, 300, 2.5766, 0.1474},
	{"Conv2d_Backward_Weight", true, 200, 2.3006, 0.217},
	{"Conv2d_Backward_Weight", false, 200, 3.2318, 0.1103},
	{"Conv2d_Forward", true, 100, 2.5766, 0.5179},
	{"Conv2d_Forward", false, 100, 3.6196, 0.1103},
	{"Dropout_Backward", false, 50, 0, 0.85}, // warm
	{"Dropout_Forward", false, 50, 0, 0.85},
	{"Linear_Apply_Grad_Bias", false, 3, 0, 0.0074},
	{"Linear_Apply_Grad_Weight", false, 0, 0, 0.85},
	{"Linear_Backward_Bias", false, 3, 0, 0.85},
	{"Linear_Backward_Input", false, 200, 0.3755, 0.0509}, // warm
	{"Linear_Backward_Weight", false, 200, 0.4709, 0.0561},
	{"Linear_Forward", false, 200, 0.3755, 0.0509},
	{"LoadData_A0", false, 3, 0, 0.005},           // warm
	{"MaxPool2d_Backward", false, 100, 0, 0.7624}, // warm
	{"MaxPool2d_Forward", false, 0, 0, 0.239},
	{"ReLU_Backward", false, 300, 0, 0.7624},
	{"ReLU_Forward", false, 50, 0, 0.7624},
	{"Scale_Backward", false, 0, 0, 0.85},
	{"Scale_Forward", false, 0, 0, 0.85},
	{"makeLoss", false, 3, 0, 0.85},
}

var listRates = []efficiency{
	{"Add_Backward", false, 20, 0, 0.6922},
	{"Add_Forward", false, 10, 0, 0.4702},
	{"Add_MultiGredient", false, 10, 0, 0.4702},
	{"Apply_Grad", false, 10, 0, 0.7624},
	{"BatchMatMul_Backward", false, 300, 0.2386, 0.1788},
	{"BatchMatMul_Forward", false, 300, 0.3352, 0.197},
	{"Conv2d_Backward_Weight", false, 0, 0.7409, 0.0561},
	{"Conv2d_Forward", false, 300, 0.4205, 0.0314},
	{"Divide_Backward_A", false, 20, 0, 0.7624},
	{"Divide_Backward_B", false, 3, 0, 0.6284},
	{"Divide_Forward", false, 20, 0, 0.7624},
	{"Erf_Backward", false, 20, 0, 0.5705},
	{"Erf_Forward", false, 6, 0, 0.5705},
	{"GatherV2_Backward", false, 0, 0, 0.6922},
	{"GatherV2_Forward", false, 0, 0, 0.6284},
	{"Linear_Apply_Grad_Weight", false, 6, 0, 0.8398},
	{"Linear_Backward_Input", false, 200, 0.5907, 0.0617}, // warm
	{"Linear_Backward_Weight", false, 300, 0.5274, 0.1001},
	{"Linear_Forward", false, 200, 0.5907, 0.0617},
	{"Multiply_Backward", false, 10, 0, 0.7624},
	{"Multiply_Forward", false, 6, 0, 0.7624},
	{"Power_Backward", false, 20, 0, 0.8398},
	{"Power_Forward", false, 20, 0, 0.5179},
	{"ReLU_Backward", false, 0, 0, 0.85},
	{"ReLU_Forward", false, 0, 0, 0.85},
	{"SoftmaxBasic_Backward", false, 50, 0, 0.85}, // warm
	{"SoftmaxBasic_Forward", false, 50, 0, 0.85},
	{"Sqrt_Backward", false, 3, 0, 0.85},
	{"Sqrt_Forward", false, 3, 0, 0.85},
	{"Subtract_Backward", false, 20, 0, 0.6922},
	{"Subtract_Forward", false, 10, 0, 0.4702},
	{"Sum_Backward", false, 300, 0, 0.0561},
	{"Sum_Forward", false, 300, 0, 0.0509},
	{"Tanh_Backward", false, 10, 0, 0.197},
	{"Tanh_Forward", false, 10, 0, 0.7624},
	{"makeLoss", false, 20, 0, 0.4269},
}
